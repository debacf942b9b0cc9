// Tests of GreenroomConfig
