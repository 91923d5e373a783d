export function Logo() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 28 20"
      className="h-5 w-7 shrink-0 fill-none stroke-current"
      strokeWidth={2.25}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d="M2 6l4.5 9.5L11.5 4l4 8h10.5" />
    </svg>
  );
}
