// Tests of GreenroomConversion
