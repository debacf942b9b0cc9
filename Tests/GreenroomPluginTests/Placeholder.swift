// Tests of GreenroomPlugin
