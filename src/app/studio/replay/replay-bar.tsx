import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { ReplayClient } from '../../session-client/replay-client.ts';
import { later } from '../../ui/later.tsx';

const RecordingBar = later({ name: 'The bar of the replay', when: 'shown' }, () =>
  import('./recording-bar.tsx').then((module) => module.RecordingBar),
);

/** Nothing while the live session is shown. */
export function ReplayBar() {
  const client = useSessionClient();
  const replay = useSession((state) => state.replay);
  return client instanceof ReplayClient && replay ? <RecordingBar client={client} replay={replay} /> : null;
}
