using ImageAnalysis.Examples;

// Every call of the service, against the one that the environment names; ends with 1 where one fails.

var examples = new (string Name, Func<Task> Run)[]
{
    ("detect a single face", Calls.DetectSingleFace),
    ("detect all faces", Calls.DetectAllFaces),
    ("redact faces", Calls.RedactFaces),
    ("read a meter", Calls.ReadMeter),
    ("fuse meter readings", Calls.FuseMeterReadings),
    ("get the version", Calls.GetVersion),
    ("set and get a detection score", Calls.SetAndGetDetectionScore),
    ("branch on the reason", Refusals.BranchOnTheReason),
    ("details name the field", Refusals.DetailsNameTheField),
    ("wrong key", Refusals.WrongKey),
    ("deadline", Refusals.Deadline),
    ("stream faces", Streams.DetectFaces),
    ("stream meters", Streams.ReadMeters),
    ("a stream takes pictures only as fast as they are read", Streams.IsSlowedDown),
    ("keys and companies", Administration.KeysAndCompanies),
};

var failed = 0;
foreach (var (name, run) in examples)
{
    try
    {
        await run();
        Console.WriteLine($"ok {name}");
    }
    catch (Exception error)
    {
        failed++;
        Console.WriteLine($"not ok {name}: {error}");
    }
}
Console.WriteLine($"{examples.Length - failed} passed, {failed} failed");
return failed == 0 ? 0 : 1;
