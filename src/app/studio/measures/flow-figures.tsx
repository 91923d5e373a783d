import type { ReactNode } from 'react';
import { bytes, microseconds, milliseconds, seconds } from '#lib/format.ts';
import type { TurnView } from '#session/views.ts';
import { useSession } from '../../session-client/provider.tsx';
import { trackOf } from '../../session-client/session-state.ts';
import { cx } from '../../ui/cx.ts';
import { Defined } from '../../ui/defined.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

const TRANSPORTS = { shared: 'shared memory', message: 'messages' };

/** Flow of a turn's audio: gaps, underruns, buffer, start floor, and the way to the audio thread. */
export function FlowFigures({ turn }: { turn: TurnView }) {
  // Rounded to tenths of a second, so that it renders at most ten times a second.
  const buffered = useSession(
    ({ player }) => Math.round(trackOf(player, turn.context).bufferedSeconds * 10) / 10,
  );
  const floorMs = useSession(({ player }) => trackOf(player, turn.context).floorMs);
  const floorReason = useSession(({ player }) => trackOf(player, turn.context).floorReason);
  const transport = useSession((state) => state.player.transport);
  const audioSeconds = turn.sampleRate === null ? 0 : turn.samples / turn.sampleRate;
  const silence = turn.underruns.reduce((sum, underrun) => sum + (underrun.lengthMs ?? 0), 0);
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 border-b border-border px-4 py-2 text-12 wide:px-5">
      <FlowFigure title="Gaps" definition={DEFINITIONS.gaps}>
        {turn.gaps ? (
          <>
            mean {milliseconds(turn.gaps.meanMs)}, p95 {milliseconds(turn.gaps.p95Ms)}, longest{' '}
            {milliseconds(turn.gaps.longestMs)}
          </>
        ) : (
          '–'
        )}
      </FlowFigure>
      <FlowFigure title="Underruns" definition={DEFINITIONS.underruns} alert={turn.underruns.length > 0}>
        {turn.underruns.length === 0 ? 'none' : `${turn.underruns.length}, ${milliseconds(silence)}`}
      </FlowFigure>
      {turn.lateFrames > 0 && (
        <FlowFigure title="Late frames" definition={DEFINITIONS.late}>
          {turn.lateFrames}
        </FlowFigure>
      )}
      {turn.audioBytes > 0 && audioSeconds > 0 && (
        <FlowFigure title="Wire" definition={DEFINITIONS.wire}>
          {bytes(turn.audioBytes / audioSeconds)}/s, {microseconds(turn.decodeMs / turn.audioFrames)} a frame
        </FlowFigure>
      )}
      {turn.reconnectMs !== null && (
        <FlowFigure title="Reconnect" definition={DEFINITIONS.reconnect}>
          {milliseconds(turn.reconnectMs)}
        </FlowFigure>
      )}
      <FlowFigure title="Buffer" definition={DEFINITIONS.buffer}>
        {seconds(buffered)}
      </FlowFigure>
      {floorMs > 0 && (
        <FlowFigure title="Start floor" definition={`${DEFINITIONS.floor} ${floorReason}`.trim()}>
          {milliseconds(floorMs)}
        </FlowFigure>
      )}
      {transport && (
        <FlowFigure title="Audio by" definition={DEFINITIONS.transport}>
          {TRANSPORTS[transport]}
        </FlowFigure>
      )}
    </dl>
  );
}

function FlowFigure({
  title,
  definition,
  alert = false,
  children,
}: {
  title: string;
  definition: string;
  alert?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="flex items-baseline gap-1.5 whitespace-nowrap">
      <dt className="text-text-subtle">
        <Defined definition={definition}>{title}</Defined>
      </dt>
      <dd className={cx('font-mono', alert ? 'text-waiting' : 'text-text')}>{children}</dd>
    </div>
  );
}
