import { create } from 'zustand';
import { DEFAULT_DETECTOR } from '#microphone/detector-settings.ts';
import { z } from '#protocol/core/zod.ts';
import { persisted } from '../browser/persisted.ts';

const ranged = (least: number, most: number) => z.number().check(z.gte(least), z.lte(most));

const detector = z.object({
  onSpeech: z.catch(z.enum(['pause', 'cancel']), DEFAULT_DETECTOR.onSpeech),
  threshold: z.catch(ranged(0.2, 0.95), DEFAULT_DETECTOR.threshold),
  leastLevelDb: z.catch(ranged(-70, -20), DEFAULT_DETECTOR.leastLevelDb),
  leastMs: z.catch(ranged(0, 500), DEFAULT_DETECTOR.leastMs),
  hangOverMs: z.catch(ranged(100, 1500), DEFAULT_DETECTOR.hangOverMs),
  lastingMs: z.catch(ranged(200, 2000), DEFAULT_DETECTOR.lastingMs),
});

/** How speech over the voice is detected. Survives a reload; whether the microphone is on does not. */
export const useDetectorSettings = persisted('voicewire.microphone', detector, () => ({}));

/** A problem of the microphone in words: title, reason and remedy. */
export interface MicrophoneProblem {
  title: string;
  detail: string;
  remedy: string;
}

export interface MicrophoneStatus {
  /** `starting`: the browser asks for permission, or the detector loads. */
  state: 'off' | 'starting' | 'on';
  /** Name of the device; empty where the browser hides it. */
  device: string;
  /** A person speaks now. */
  isSpeech: boolean;
  /** May be set while the microphone is on, for example when its device goes silent. */
  problem: MicrophoneProblem | null;
  /** Speech becomes text. */
  writes: boolean;
  /** The text is spoken without a press. */
  isHandsFree: boolean;
  /** Text that is not final yet. */
  interim: string;
  writingProblem: MicrophoneProblem | null;
}

export const MICROPHONE_OFF: MicrophoneStatus = {
  state: 'off',
  device: '',
  isSpeech: false,
  problem: null,
  writes: false,
  isHandsFree: false,
  interim: '',
  writingProblem: null,
};

/** The state of the microphone, which a reload switches off. */
export const useMicrophone = create<MicrophoneStatus>()(() => MICROPHONE_OFF);
