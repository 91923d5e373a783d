import { useCallback, useRef } from 'react';
import { useSessionClient } from '../../session-client/provider.tsx';
import { levelOf } from '../level/level-meter.tsx';
import { useLevel } from '../level/use-level.ts';

/** How loud one speaker is heard, as a line in their colour. */
export function MemberLevel({ context }: { context: string }) {
  const client = useSessionClient();
  const bar = useRef<HTMLSpanElement>(null);
  useLevel(
    bar,
    useCallback(() => levelOf(client, context), [client, context]),
  );
  return (
    <span
      ref={bar}
      aria-hidden
      className="pointer-events-none absolute inset-x-2 bottom-0.5 h-0.5 rounded-full bg-voice"
      style={{ clipPath: 'inset(0 100% 0 0)' }}
    />
  );
}
