def test_read_meter(client, meter):
    reading = client.read_meter(meter, expected_digits=8, alternatives=True)

    assert reading.meter_number == "00473286"
    assert reading.value == "00473.286"
    assert [digit.digit for digit in reading.digits] == list(reading.meter_number)
    assert reading.HasField("alternatives")


def test_fuse_meter_readings(client, meter):
    fused = client.fuse_meter_readings([meter, meter, b"\xff\xd8\xff"])

    assert fused.reading.value == "00473.286"
    assert [photo.agrees for photo in fused.photos] == [True, True, False]
    assert fused.photos[2].refusal == "CORRUPT_IMAGE"
