import { SortedValues } from '#lib/statistics/percentiles.ts';
import { CAPTURE_SAMPLES } from '#microphone/capture-messages.ts';
import { Detector } from '#microphone/detector.ts';
import { DEFAULT_DETECTOR, type DetectorSettings, type OnSpeech } from '#microphone/detector-settings.ts';
import type { SpeechModel } from '#microphone/speech-model.ts';
import type { SpeechNews } from '#microphone/speech-news.ts';
import { ourPlayer } from '#player/testing/ours.ts';
import { QUANTUM } from '#player/testing/traces.ts';
import { CLIP_RATE, type LabelledClip } from '../../support/labelled-clips.ts';
import { loadSpeechModel } from '../../support/speech-model.ts';
import { ms, printTable } from '../table.ts';

const VOICE_RATE = 24_000;
/** Loud and constant, so that each sample of 0 is silence. */
const VOICE = 8000;
/** A decision later than this after the end of the speech is none of the speech. */
const LATE_MS = 300;

interface Outcome {
  clip: LabelledClip;
  /** From the true onset; null where the voice was not interrupted by the speech. */
  decidedMs: number | null;
  silentMs: number | null;
  /** The speech cancelled the voice. */
  isCancelled: boolean;
  /** The voice was interrupted where nobody spoke. */
  hasFalsePause: boolean;
  /** The voice was cancelled where nobody spoke. */
  hasFalseCancel: boolean;
  computedMs: number;
}

/** Plays a clip to the detector while the voice speaks, in the player's and the detector's own code, by a virtual clock. */
async function perform(clip: LabelledClip, model: SpeechModel, settings: DetectorSettings): Promise<Outcome> {
  const voice = ourPlayer(VOICE_RATE, 'shared', 2 ** 19);
  const seconds = clip.samples.length / CLIP_RATE;
  const frame = new Int16Array(VOICE_RATE / 10).fill(VOICE);
  for (let sent = 0; sent < (seconds + 1) * 10; sent += 1) voice.deliver(frame);
  let nowMs = 0;
  let renderedMs = 0;
  let isSilent = true;
  const silentFromMs: number[] = [];
  const output = new Float32Array(QUANTUM);
  const render = () => {
    // A quantum that has begun cannot be changed any more.
    for (; renderedMs < nowMs; renderedMs += (QUANTUM / VOICE_RATE) * 1000) {
      voice.render(output);
      const last = output.findLastIndex((sample) => sample !== 0);
      const isQuiet = last < QUANTUM - 1;
      if (isQuiet && !isSilent) silentFromMs.push(renderedMs + ((last + 1) / VOICE_RATE) * 1000);
      isSilent = isQuiet;
    }
  };
  const decisions: { atMs: number; kind: SpeechNews['kind'] }[] = [];
  const detector = new Detector(
    model,
    settings,
    CLIP_RATE,
    {
      heard: () => {},
      news: ({ kind }) => {
        decisions.push({ atMs: nowMs, kind });
        if (kind === 'continue') voice.player.setPaused(false);
        else if (kind === 'pause') voice.player.setPaused(true);
        else {
          voice.clear();
          voice.player.setPaused(false);
        }
      },
    },
    () => nowMs,
  );
  let computedMs = 0;
  for (let at = 0; at + CAPTURE_SAMPLES <= clip.samples.length; at += CAPTURE_SAMPLES) {
    nowMs = ((at + CAPTURE_SAMPLES) / CLIP_RATE) * 1000;
    render();
    const startedMs = performance.now();
    await detector.hear(clip.samples.subarray(at, at + CAPTURE_SAMPLES));
    computedMs += performance.now() - startedMs;
  }
  const onsetMs = clip.onset === null ? Number.POSITIVE_INFINITY : (clip.onset / CLIP_RATE) * 1000;
  const endMs = clip.end === null ? Number.NEGATIVE_INFINITY : (clip.end / CLIP_RATE) * 1000 + LATE_MS;
  const isOfSpeech = (atMs: number): boolean => atMs >= onsetMs && atMs <= endMs;
  const interrupts = decisions.filter(({ kind }) => kind === 'pause' || kind === 'cancel');
  const ends = decisions.filter(({ kind }) => kind === 'confirm' || kind === 'cancel');
  const decided = interrupts.find(({ atMs }) => isOfSpeech(atMs));
  const silent = decided && silentFromMs.find((atMs) => atMs >= decided.atMs);
  return {
    clip,
    decidedMs: decided ? decided.atMs - onsetMs : null,
    silentMs: silent === undefined ? null : silent - onsetMs,
    isCancelled: ends.some(({ atMs }) => isOfSpeech(atMs)),
    hasFalsePause: interrupts.some(({ atMs }) => !isOfSpeech(atMs)),
    hasFalseCancel: ends.some(({ atMs }) => !isOfSpeech(atMs)),
    computedMs: computedMs / (clip.samples.length / CLIP_RATE),
  };
}

function rowOf(kind: string, outcomes: readonly Outcome[]): Record<string, string> {
  const isSpeech = outcomes.some(({ clip }) => clip.onset !== null);
  const percentiles = (values: readonly (number | null)[]): string => {
    const sorted = new SortedValues();
    for (const value of values) if (value !== null) sorted.add(value);
    return sorted.count === 0 ? '–' : `${ms(sorted.percentile(0.5))}, ${ms(sorted.percentile(0.95))}`;
  };
  const count = (has: (outcome: Outcome) => boolean): string => String(outcomes.filter(has).length);
  return {
    clips: kind,
    count: String(outcomes.length),
    missed: isSpeech ? count(({ decidedMs }) => decidedMs === null) : '–',
    'not cancelled': isSpeech ? count(({ isCancelled }) => !isCancelled) : '–',
    'paused for nothing': count(({ hasFalsePause }) => hasFalsePause),
    'cancelled for nothing': count(({ hasFalseCancel }) => hasFalseCancel),
    'onset to decision': percentiles(outcomes.map(({ decidedMs }) => decidedMs)),
    'onset to silence': percentiles(outcomes.map(({ silentMs }) => silentMs)),
  };
}

/** Speech, coughs and noises over the voice: how soon it is silent, what is missed, and what is mistaken for speech. */
export async function benchTalkOver(clips: readonly LabelledClip[]): Promise<void> {
  for (const onSpeech of ['pause', 'cancel'] satisfies OnSpeech[]) {
    const outcomes: Outcome[] = [];
    for (const clip of clips) {
      outcomes.push(await perform(clip, await loadSpeechModel(), { ...DEFAULT_DETECTOR, onSpeech }));
    }
    const kinds = [...new Set(clips.map(({ kind }) => kind))];
    const rows = kinds.map((kind) =>
      rowOf(
        kind,
        outcomes.filter(({ clip }) => clip.kind === kind),
      ),
    );
    const speech = outcomes.filter(({ clip }) => clip.onset !== null);
    const other = outcomes.filter(({ clip }) => clip.onset === null);
    const costMs = outcomes.reduce((sum, { computedMs }) => sum + computedMs, 0) / outcomes.length;
    printTable(
      `Talk over it, ${onSpeech === 'pause' ? 'pausing first' : 'cancelling at once'}: ${clips.length} clips`,
      `Median, p95. The player's and the detector's own code on a virtual clock; the detector takes ${costMs.toFixed(1)} ms for a second of sound.`,
      [...rows, rowOf('all speech', speech), rowOf('everything else', other)],
    );
  }
}
