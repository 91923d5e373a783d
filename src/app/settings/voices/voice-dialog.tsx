import { useRef } from 'react';
import { Kbd } from '../../ui/button.tsx';
import { Dialog } from '../../ui/popups/dialog.tsx';
import type { VoiceChoices } from './use-catalogue.ts';
import { VoiceBrowser } from './voice-browser.tsx';
import type { VoiceSampler } from './voice-sampler.ts';

interface VoiceDialogProps {
  onClose: () => void;
  voices: VoiceChoices;
  sampler: VoiceSampler;
  current: string | null;
  idName: string;
  onChoose: (id: string) => void;
}

const KEYS = [
  ['↑ ↓', 'move'],
  ['Shift Enter', 'listen'],
  ['Enter', 'choose'],
  ['F', 'favourite'],
  ['Esc', 'close'],
] as const;

export function VoiceDialog({ onClose, voices, sampler, current, idName, onChoose }: VoiceDialogProps) {
  const search = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      onClose={onClose}
      title="Choose a voice"
      width="max-w-[560px]"
      flush
      // On a phone, the keyboard would cover the voices.
      {...(matchMedia('(pointer: coarse)').matches ? {} : { initialFocus: search })}
    >
      <VoiceBrowser
        voices={voices}
        sampler={sampler}
        isInUse={({ key }) => key === current}
        picker={{ idName, onChoose, search }}
      />
      <p className="hidden gap-4 border-t border-border px-5 py-2 text-12 text-text-subtle wide:flex">
        {KEYS.map(([keys, does]) => (
          <span key={keys}>
            <Kbd keys={keys} /> {does}
          </span>
        ))}
      </p>
    </Dialog>
  );
}
