import { Suspense } from 'react';
import { later } from '../../browser/later.ts';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { ReplayClient } from '../../session-client/replay-client.ts';

const ClientBar = later(() => import('./client-bar.tsx').then((module) => module.ClientBar));
const ReplayTransport = later(() =>
  import('./replay-transport.tsx').then((module) => module.ReplayTransport),
);

/** Nothing while the live session is shown. */
export function ReplayBar() {
  const client = useSessionClient();
  const replay = useSession((state) => state.replay);
  if (!(client instanceof ReplayClient) || !replay) return null;
  const Bar = replay.followed ? ClientBar : ReplayTransport;
  return (
    <Suspense fallback={null}>
      <Bar client={client} replay={replay} />
    </Suspense>
  );
}
