/** How much of something is done, from 0 to 1. */
export function ProgressBar({ label, done }: { label: string; done: number }) {
  return (
    <progress
      aria-label={label}
      max={1}
      value={done}
      className="h-1.5 min-w-0 flex-1 appearance-none overflow-hidden rounded-full bg-selected [&::-moz-progress-bar]:bg-text [&::-webkit-progress-bar]:bg-selected [&::-webkit-progress-value]:bg-text"
    />
  );
}
