//! Starting states: consistent in the scale of each constraint, or refused.
