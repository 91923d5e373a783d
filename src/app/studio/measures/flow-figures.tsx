import { bytes, microseconds, milliseconds, seconds } from '#lib/format.ts';
import { underrunMsOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import { useSession } from '../../session-client/provider.tsx';
import { selectHearing, trackOf } from '../../session-client/session-state.ts';
import { cx } from '../../ui/cx.ts';
import { Defined } from '../../ui/defined.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

const TRANSPORTS = { shared: 'shared memory', message: 'messages' };

export function FlowFigures({ turn }: { turn: TurnView }) {
  // Rounded to tenths of a second, so that it can be read.
  const buffered = useSession(
    ({ player }) => Math.round(trackOf(player, turn.context).bufferedSeconds * 10) / 10,
  );
  const targetMs = useSession(({ player }) => trackOf(player, turn.context).targetMs);
  const targetReason = useSession(({ player }) => trackOf(player, turn.context).targetReason);
  const transport = useSession((state) => state.player.transport);
  const hearing = useSession(selectHearing);
  const { gaps, underruns, lateFrames, audioBytes, audioFrames, decodeMs, reconnectMs } = turn;
  const audioSeconds = audioSecondsOf(turn);
  const silenceMs = underrunMsOf(turn);
  const gapWords =
    gaps &&
    `mean ${milliseconds(gaps.meanMs)}, p95 ${milliseconds(gaps.p95Ms)}, longest ${milliseconds(gaps.longestMs)}`;
  // The frames of another client arrive here with its times, so that decoding is not timed.
  const decoding = hearing === 'here' ? `, ${microseconds(decodeMs / audioFrames)} a frame` : '';
  const wire = audioBytes > 0 && audioSeconds > 0 && `${bytes(audioBytes / audioSeconds)}/s${decoding}`;
  const underrunWords = underruns.length === 0 ? 'none' : `${underruns.length}, ${milliseconds(silenceMs)}`;
  const isPlayed = hearing !== 'unheard';
  const figures = [
    ['Gaps', DEFINITIONS.gaps, gapWords ?? '–'],
    ['Underruns', DEFINITIONS.underruns, isPlayed && underrunWords],
    ['Late frames', DEFINITIONS.late, lateFrames > 0 && lateFrames],
    ['Wire', DEFINITIONS.wire, wire],
    ['Reconnect', DEFINITIONS.reconnect, reconnectMs !== null && milliseconds(reconnectMs)],
    ['Buffer', DEFINITIONS.buffer, isPlayed && seconds(buffered)],
    [
      'Prebuffer target',
      `${DEFINITIONS.prebufferTarget} ${targetReason}`.trim(),
      isPlayed && targetMs > 0 && milliseconds(targetMs),
    ],
    ['Audio by', DEFINITIONS.transport, transport && TRANSPORTS[transport]],
  ] as const;
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 border-b border-border px-4 py-2 text-12 wide:px-5">
      {figures.map(
        ([title, definition, figure]) =>
          figure && (
            <div key={title} className="flex items-baseline gap-1.5 whitespace-nowrap">
              <dt className="text-text-subtle">
                <Defined definition={definition}>{title}</Defined>
              </dt>
              <dd
                className={cx('font-mono', title === 'Underruns' && underruns.length > 0 && 'text-waiting')}
              >
                {figure}
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
