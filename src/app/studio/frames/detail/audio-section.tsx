import { useMemo } from 'react';
import { count, milliseconds, seconds } from '#lib/format.ts';
import { soundLevelOf } from '#lib/waveform.ts';
import { AUDIO_ENCODINGS } from '#protocol/core/audio-format.ts';
import type { FrameOutcome } from '#recordings/view/frame-outcome.ts';
import type { FrameAudio } from '#recordings/view/frame-reader.ts';
import { useSoundFindings } from '../../../recordings-client/sound-findings.ts';
import { cx } from '../../../ui/cx.ts';
import { Notice } from '../../../ui/notice.tsx';
import { ClipButton, useClip } from '../clip/clip-button.tsx';
import { LOOKS } from '../findings/severity.ts';
import { Facts } from './facts.tsx';
import { Waveform } from './waveform.tsx';

interface AudioSectionProps {
  audio: FrameAudio;
  /** Of the voice that speaks, 1 to 6. */
  hue: number;
  /** Null while the outcome is unknown. */
  outcome: FrameOutcome | null;
}

export function AudioSection({ audio, hue, outcome }: AudioSectionProps) {
  return (
    <section aria-label="Audio of the frame" className="flex flex-col gap-3 border-t border-border px-4 py-3">
      {'problem' in audio ? (
        <Notice severity="error" title="The audio cannot be decoded">
          {audio.problem}
        </Notice>
      ) : (
        <Sound audio={audio} outcome={outcome} hue={hue} />
      )}
    </section>
  );
}

type SoundProps = AudioSectionProps & { audio: Exclude<FrameAudio, { problem: string }> };

function Sound({ audio, outcome, hue }: SoundProps) {
  const { sampleRate, encoding } = audio.format;
  // The samples of the turn around those of the frame, where they are known.
  const isInTurn = outcome !== null && outcome.kind !== 'late' && outcome.count > 0;
  const around = isInTurn ? outcome.window.samples : audio.samples;
  const from = isInTurn ? outcome.sample - outcome.window.sample : 0;
  const ownSamples = isInTurn ? outcome.count : audio.samples.length;
  const samples = useMemo(() => around.subarray(from, from + ownSamples), [around, from, ownSamples]);
  const level = useMemo(() => soundLevelOf(samples), [samples]);
  const clip = useClip(async () => ({ samples, sampleRate }));
  const lengthMs = (samples.length / sampleRate) * 1000;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="flex-1 text-13 font-semibold">The samples it became</h3>
        <ClipButton
          clip={clip}
          disabledReason={samples.length === 0 ? 'There is not one whole sample in this frame' : null}
        >
          Play {milliseconds(lengthMs)}
        </ClipButton>
      </div>
      <div data-voice={hue} className="relative">
        {outcome && outcome.words.length > 0 && <WordBand outcome={outcome} />}
        {outcome && <FindingBands outcome={outcome} />}
        <Waveform
          samples={around}
          own={{ from, count: ownSamples }}
          hue={hue}
          played={clip.played}
          isPlaying={clip.isPlaying}
        />
        <p className="mt-1 flex justify-between font-mono text-12 text-text-subtle">
          <span>{outcome ? seconds(outcome.sample / sampleRate) : '0 ms'}</span>
          {outcome && <span>within turn {outcome.turn}</span>}
          <span>
            {outcome ? seconds((outcome.sample + outcome.count) / sampleRate) : milliseconds(lengthMs)}
          </span>
        </p>
      </div>
      <Facts
        facts={[
          ['Peak', decibels(level.peakDbfs)],
          ['Loudness, RMS', decibels(level.rmsDbfs)],
          ['Samples', count(samples.length)],
          ...(outcome ? [['First sample', count(outcome.sample)] as const] : []),
          ['Encoding', AUDIO_ENCODINGS[encoding].title],
          ['Rate', `${count(sampleRate)} Hz`],
        ]}
      />
    </>
  );
}

const decibels = (dbfs: number | null): string =>
  // A negative zero would look like a level below full scale.
  dbfs === null ? 'silent' : `${(Math.round(dbfs * 10) / 10 + 0).toFixed(1)} dBFS`;

/** Returns the place of samples of the turn in the window, as a style. */
function placeIn({ sample: first, samples }: FrameOutcome['window'], sample: number, count: number) {
  const percent = (at: number): number =>
    (Math.min(Math.max(0, at - first), samples.length) / samples.length) * 100;
  const left = percent(sample);
  return { left: `${left}%`, width: `${percent(sample + count) - left}%` };
}

function WordBand({ outcome: { words, window } }: { outcome: FrameOutcome }) {
  return (
    <ol aria-label="Words in it" className="relative mb-0.5 h-5 overflow-hidden text-12">
      {words.map(({ chunk, word, text, sample, count }) => (
        <li
          key={`${chunk} ${word}`}
          title={text}
          className="absolute inset-y-0 truncate rounded-inner border-x border-surface bg-voice-tint px-1 leading-5 text-text"
          style={placeIn(window, sample, count)}
        >
          <bdi>{text}</bdi>
        </li>
      ))}
    </ol>
  );
}

const LABEL_ROWS = 4;

/** Lies on the waveform below it. Shows findings of the turn that reach into the window, also those of other frames. */
function FindingBands({ outcome: { turn, sampleRate, window } }: { outcome: FrameOutcome }) {
  const findings = useSoundFindings().get(turn) ?? [];
  const end = window.sample + window.samples.length;
  const bands = findings.flatMap(({ number, finding: { sound, severity, title } }) => {
    const [from = 0, to = 0] = sound ? [sound.fromS * sampleRate, sound.toS * sampleRate] : [];
    return from < end && to >= window.sample ? [{ number, severity, title, from, to }] : [];
  });
  if (bands.length === 0) return null;
  return (
    <ul
      aria-label="Findings in it"
      className="pointer-events-none absolute inset-x-0 h-22 overflow-hidden text-12"
    >
      {bands.map(({ number, severity, title, from, to }, at) => {
        const { icon: Icon, text, tint, word } = LOOKS[severity];
        // A finding of the whole turn has no place within the window.
        const hasEdge = from > window.sample || to < end;
        return (
          <li
            key={number}
            style={placeIn(window, from, to - from)}
            className={cx('absolute inset-y-0 min-w-px', text, hasEdge && `border-x hatched-finding ${tint}`)}
          >
            <span
              style={{
                top: (at % LABEL_ROWS) * 20,
                [from < end - window.samples.length / 2 ? 'left' : 'right']: 0,
              }}
              className="absolute flex max-w-48 items-center gap-1 rounded-inner bg-surface px-1 leading-5"
            >
              <Icon role="img" aria-label={word} className="size-3.5 shrink-0" />
              <span className="truncate">{title}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
