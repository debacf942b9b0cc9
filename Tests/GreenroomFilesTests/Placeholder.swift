// Tests of GreenroomFiles
