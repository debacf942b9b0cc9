// Authors import one module: the formats, sizes, rates and statuses come with it.
@_exported public import GreenroomMedia
