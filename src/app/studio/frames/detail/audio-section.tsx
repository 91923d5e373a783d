import { Play, Square } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { count, milliseconds, seconds } from '#lib/format.ts';
import { soundLevelOf } from '#lib/waveform.ts';
import { AUDIO_ENCODINGS } from '#protocol/core/audio-format.ts';
import type { FrameOutcome } from '#recordings/view/frame-outcome.ts';
import type { FrameAudio } from '#recordings/view/frame-reader.ts';
import { useSettings } from '../../../stores/settings-store.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Facts } from './facts.tsx';
import { type Clip, playClip } from './play-clip.ts';
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
  const { isPlaying, failure, played, toggle } = useClip(samples, sampleRate);
  const isSilenced = useSettings((state) => state.muted || state.volume === 0);
  const lengthMs = (samples.length / sampleRate) * 1000;
  return (
    <>
      <div className="flex items-center gap-2">
        <h3 className="flex-1 text-13 font-semibold">The samples it became</h3>
        {isPlaying && isSilenced && <span className="text-12 text-waiting">muted</span>}
        <Button
          size="small"
          icon={isPlaying ? Square : Play}
          disabledReason={samples.length === 0 ? 'There is not one whole sample in this frame' : null}
          onClick={toggle}
        >
          {isPlaying ? 'Stop' : `Play ${milliseconds(lengthMs)}`}
        </Button>
      </div>
      {failure !== null && (
        <Notice severity="error" title="This cannot be played">
          {failure}
        </Notice>
      )}
      <div data-voice={hue}>
        {outcome && outcome.words.length > 0 && <WordBand outcome={outcome} />}
        <Waveform
          samples={around}
          own={{ from, count: ownSamples }}
          hue={hue}
          played={played}
          isPlaying={isPlaying}
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

function useClip(samples: Int16Array, sampleRate: number) {
  const [clip, setClip] = useState<Clip | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const level = useSettings((state) => (state.muted ? 0 : state.volume));

  useEffect(() => () => clip?.stop(), [clip]);
  useEffect(() => clip?.setLevel(level), [clip, level]);

  const toggle = () => {
    if (clip) {
      setClip(null);
      return;
    }
    try {
      setClip(playClip(new AudioContext(), { samples, sampleRate }, level, () => setClip(null)));
      setFailure(null);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
  };
  const played = () => clip && (clip.positionS() * sampleRate) / Math.max(1, samples.length);
  return { isPlaying: clip !== null, failure, played, toggle };
}

function WordBand({ outcome }: { outcome: FrameOutcome }) {
  const { words, window } = outcome;
  const percent = (sample: number): number =>
    (Math.min(Math.max(0, sample - window.sample), window.samples.length) / window.samples.length) * 100;
  return (
    <ol aria-label="Words in it" className="relative mb-0.5 h-5 overflow-hidden text-12">
      {words.map(({ chunk, word, text, sample, count }) => {
        const from = percent(sample);
        return (
          <li
            key={`${chunk} ${word}`}
            title={text}
            className="absolute inset-y-0 truncate rounded-inner border-x border-surface bg-voice-tint px-1 leading-5 text-text"
            style={{ left: `${from}%`, width: `${percent(sample + count) - from}%` }}
          >
            <bdi>{text}</bdi>
          </li>
        );
      })}
    </ol>
  );
}
