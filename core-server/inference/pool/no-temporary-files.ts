// libvips decodes a large picture that it cannot read line by line, such as a WebP of 34 megapixels, into a file in the
// temporary folder, unless this variable names a larger size when it first needs one. Pictures are never written.
//
// It must be set in the main thread: a worker's process.env is a copy that native code does not see.
process.env['VIPS_DISC_THRESHOLD'] = '1000g';
