import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { ReplayClient } from '../../session-client/replay-client.ts';
import { later } from '../../ui/later.tsx';

const ClientBar = later('The bar of the client', () =>
  import('./client-bar.tsx').then((module) => module.ClientBar),
);
const ReplayTransport = later({ name: 'The bar of the replay', when: 'shown' }, () =>
  import('./replay-transport.tsx').then((module) => module.ReplayTransport),
);

/** Nothing while the live session is shown. */
export function ReplayBar() {
  const client = useSessionClient();
  const replay = useSession((state) => state.replay);
  if (!(client instanceof ReplayClient) || !replay) return null;
  const Bar = replay.followed ? ClientBar : ReplayTransport;
  return <Bar client={client} replay={replay} />;
}
