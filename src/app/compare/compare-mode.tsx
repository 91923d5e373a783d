/** Two configurations with the same text, side by side or blind. */
export function CompareMode() {
  return (
    <section aria-labelledby="compare-title" className="h-full overflow-y-auto p-6">
      <h2 id="compare-title" className="text-20 font-semibold tracking-[-0.01em]">
        Compare
      </h2>
    </section>
  );
}
