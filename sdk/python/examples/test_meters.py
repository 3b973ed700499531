def test_read_meter(client, meter):
    reading = client.read_meter(meter, expected_digits=8, alternatives=True)

    assert reading.meter_number == "00473286"
    assert reading.value == "00473.286"
    assert [digit.digit for digit in reading.digits] == list(reading.meter_number)
    assert reading.HasField("alternatives")
