import { Sparkles } from 'lucide-react';

interface VoiceMarkProps {
  hue: number;
  name: string;
  /** The name is a description, whose first letter says nothing. */
  isDescribed?: boolean;
}

/** The first letter of a voice on its tint, or a sign for one that is described. Show the name beside it. */
export function VoiceMark({ hue, name, isDescribed = false }: VoiceMarkProps) {
  const [initial = '?'] = name.trim();
  return (
    <span
      aria-hidden
      data-voice={hue}
      className="grid size-8 shrink-0 place-items-center rounded-control bg-voice-tint text-14 font-semibold text-voice"
    >
      {isDescribed ? <Sparkles className="size-4" /> : initial.toUpperCase()}
    </span>
  );
}
