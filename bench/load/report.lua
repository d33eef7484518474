-- wrk's summary as one line of JSON. No response callback: that would cost the load generator its speed.
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    'SUMMARY {"requests": %d, "bytes": %d, "seconds": %.6f, "p50_us": %d, "p99_us": %d, "connect": %d, "read": %d, '
    .. '"write": %d, "timeout": %d, "status": %d}\n', summary.requests, summary.bytes, summary.duration / 1e6,
    latency:percentile(50), latency:percentile(99), e.connect, e.read, e.write, e.timeout, e.status))
end
