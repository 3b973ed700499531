using Google.Protobuf;
using Grpc.Core;
using ImageAnalysis.Client;
using ImageAnalysis.V1;
using static ImageAnalysis.Examples.Service;

namespace ImageAnalysis.Examples;

/// <summary>
/// Many pictures over one call. WriteAsync waits while the service takes no more pictures, so one task
/// writes and another reads.
/// </summary>
internal static class Streams
{
    public static async Task DetectFaces()
    {
        using var client = Connect();
        using var stream = client.Faces.StreamDetectFaces();
        var writing = Task.Run(async () =>
        {
            await stream.RequestStream.WriteAsync(ToRequest("good", Sample("astronaut.jpg")));
            await stream.RequestStream.WriteAsync(ToRequest("bad", ByteString.CopyFromUtf8("no picture")));
            await stream.RequestStream.CompleteAsync();
        });

        var results = new SortedDictionary<string, string>();
        await foreach (var answer in stream.ResponseStream.ReadAllAsync())
        {
            results[answer.Id] = answer.ResultCase == StreamDetectFacesResponse.ResultOneofCase.Error
                ? Refusal.ReasonOf(Refusal.ToException(answer.Error)).ToString()
                : $"{answer.Response.Faces.Count} face";
        }
        await writing;

        Expect("bad: UnsupportedImageType, good: 1 face", string.Join(", ", results.Select(r => $"{r.Key}: {r.Value}")));
    }

    public static async Task ReadMeters()
    {
        using var client = Connect();
        using var stream = client.Meters.StreamReadMeters();
        await stream.RequestStream.WriteAsync(new StreamReadMetersRequest
        {
            Id = "hall",
            Request = new ReadMeterRequest { Image = Sample("meter.jpg") },
        });
        await stream.RequestStream.CompleteAsync();

        Expect(true, await stream.ResponseStream.MoveNext());
        Expect("hall 00473.286", $"{stream.ResponseStream.Current.Id} {stream.ResponseStream.Current.Response.Value}");
    }

    public static async Task IsSlowedDown()
    {
        const int count = 80;
        var image = ByteString.CopyFrom(Sample("astronaut.jpg").Concat(new byte[2_000_000]).ToArray());
        using var client = Connect();
        using var stream = client.Faces.StreamDetectFaces();
        var written = 0;
        var writing = Task.Run(async () =>
        {
            for (var number = 0; number < count; number++)
            {
                await stream.RequestStream.WriteAsync(ToRequest($"{number}", image));
                Interlocked.Increment(ref written);
            }
            await stream.RequestStream.CompleteAsync();
        });

        Expect(true, await stream.ResponseStream.MoveNext());
        var writtenAtFirstAnswer = Volatile.Read(ref written);
        var ids = new HashSet<string> { stream.ResponseStream.Current.Id };
        await foreach (var answer in stream.ResponseStream.ReadAllAsync()) ids.Add(answer.Id);
        await writing;

        Expect(true, writtenAtFirstAnswer < count / 2);
        Expect(count, ids.Count);
    }

    private static StreamDetectFacesRequest ToRequest(string id, ByteString image) =>
        new() { Id = id, Request = new DetectAllFacesRequest { Image = image, Crop = false } };
}
