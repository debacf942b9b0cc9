// GreenroomConversion
