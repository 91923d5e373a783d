import { useSession } from '../../session-client/provider.tsx';
import { useMicrophone } from '../../stores/microphone-store.ts';
import { ProblemNotice } from './microphone-panel.tsx';
import { SpeechMeter } from './speech-meter.tsx';

/** The microphone in the composer while it is on, and its problems. */
export function MicrophoneStrip() {
  const { state, isSpeech, problem, writes, interim, writingProblem } = useMicrophone();
  const isPaused = useSession(({ player }) => player.isPaused);
  return (
    <div className="flex flex-col gap-2 border-t border-border px-3 py-2 wide:px-4">
      {state !== 'off' && (
        <div className="flex min-h-6 items-center gap-3 text-12">
          <SpeechMeter isSmall />
          <p role="status" className={isSpeech ? 'text-live' : 'text-text-subtle'}>
            {state === 'starting'
              ? 'The microphone starts …'
              : isPaused
                ? 'You speak; the voice is paused'
                : isSpeech
                  ? 'You speak'
                  : 'Listening: speak to interrupt the voice'}
          </p>
          {writes && <p className="min-w-0 flex-1 truncate text-text-muted italic">{interim}</p>}
        </div>
      )}
      {problem && <ProblemNotice problem={problem} />}
      {writingProblem && <ProblemNotice problem={writingProblem} />}
    </div>
  );
}
