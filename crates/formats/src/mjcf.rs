//! MJCF.
use crate::robot::Robot;
use crate::xml::Log;
use roxmltree::Node;
pub fn read(_root: Node<'_, '_>, _log: &mut Log) -> Robot { Robot::default() }
