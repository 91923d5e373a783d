/** The first letter of a voice on its tint. Show the name beside it. */
export function VoiceMark({ hue, name }: { hue: number; name: string }) {
  const [initial = '?'] = name.trim();
  return (
    <span
      aria-hidden
      data-voice={hue}
      className="grid size-8 shrink-0 place-items-center rounded-control bg-voice-tint text-14 font-semibold text-voice"
    >
      {initial.toUpperCase()}
    </span>
  );
}
