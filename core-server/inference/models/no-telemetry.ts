// onnxruntime reports each session to its vendor over the network, and keeps a device id in the home folder and
// files in the temporary one, unless this variable is set before it is loaded. A self-hosted service must not do
// that; to allow it, set the variable to 0. Empty is unset, as with every setting.
//
// It must be set in the main thread: a worker's process.env is a copy that native code does not see.
process.env['ORT_DISABLE_TELEMETRY'] ||= '1';
