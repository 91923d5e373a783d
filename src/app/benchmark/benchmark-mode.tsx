/** A plan of many runs, their percentiles, and what they say about two configurations. */
export function BenchmarkMode() {
  return (
    <section aria-labelledby="benchmark-title" className="h-full overflow-y-auto p-6">
      <h2 id="benchmark-title" className="text-20 font-semibold tracking-[-0.01em]">
        Benchmark
      </h2>
      <p className="mt-2 max-w-[60ch] text-14 text-text-muted">
        Many runs of the same texts over several configurations, with percentiles and their intervals.
      </p>
    </section>
  );
}
