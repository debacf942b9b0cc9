// Tests of GreenroomHost
