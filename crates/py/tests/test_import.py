"""Robots from URDF and MJCF."""

import dalembert
import numpy as np
import pytest
from conftest import MODELS


def test_an_arm_of_urdf_is_a_system() -> None:
    arm = dalembert.import_urdf(MODELS / "arm.urdf")
    assert arm.coordinates == ("turn", "shoulder", "elbow")
    assert "joint shoulder: pin base" in arm.text
    # Weight of the arm stretched along x: what gravity does at the shoulder, from masses and lengths of the file.
    now = arm.evaluate({"turn": 0, "shoulder": 0, "elbow": 0})
    moment = 9.81 * (2 * 0.25 + 1 * 0.7 + 0.3 * 0.9)
    assert np.isclose(now.impressed[arm.coordinates.index("shoulder")], -moment, rtol=1e-12)


def test_what_changes_the_motion_is_a_warning(tmp_path) -> None:
    file = tmp_path / "box.xml"
    file.write_text("<mujoco><worldbody><body name='b'><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    with pytest.warns(UserWarning, match="W1001: contact between geoms"):
        box = dalembert.System.import_urdf(file)
    assert box.degrees_of_freedom == 6


def test_what_is_wrong_is_a_model_error_with_its_place(tmp_path) -> None:
    file = tmp_path / "bad.urdf"
    file.write_text("<robot name='r'>\n<link name='a'/>\n<joint name='j' type='revolute'/></robot>")
    with pytest.raises(dalembert.ModelError, match="bad.urdf:3:1"):
        dalembert.import_urdf(file)
