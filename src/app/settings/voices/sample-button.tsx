import { CircleAlert, LoaderCircle, Play, Square } from 'lucide-react';
import { IconButton } from '../../ui/icon-button.tsx';
import type { VoiceOption } from './voice-options.ts';
import { phaseOf, type SamplerState, useSampler, type VoiceSampler } from './voice-sampler.ts';

const LOOKS = {
  silent: { icon: Play, label: (name: string) => `Play a sample of ${name}` },
  waiting: { icon: LoaderCircle, label: (name: string) => `Stop loading the sample of ${name}` },
  speaking: { icon: Square, label: (name: string) => `Stop the sample of ${name}` },
  failed: { icon: CircleAlert, label: (name: string) => `Try the sample of ${name} again` },
};

interface SampleButtonProps {
  sampler: VoiceSampler;
  choice: VoiceOption;
  tabIndex?: number;
}

/** Plays the vendor's sample of a voice; nothing where there is none. */
export function SampleButton({ sampler, choice, tabIndex }: SampleButtonProps) {
  const look = LOOKS[phaseOf(useSampler(sampler), choice)];
  if (!choice.voice?.sampleUrl) return null;
  return (
    <IconButton
      label={look.label(choice.name)}
      icon={look.icon}
      size="small"
      tabIndex={tabIndex}
      onClick={() => sampler.toggle(choice)}
      className="relative z-1"
    />
  );
}

/** Describes what is heard of a voice's sample; null while it is silent. */
export const sampleWords = (phase: SamplerState['phase']): string | null =>
  ({
    silent: null,
    waiting: 'Loading the sample…',
    speaking: 'Playing the sample',
    failed: 'The sample could not be played.',
  })[phase];
