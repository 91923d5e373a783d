import { deepEqual } from '#lib/deep-equal.ts';
import { contentOf } from '../playlist/playlist.ts';
import { addPlaylist, choosePlaylist, usePlaylists } from '../playlist/playlist-store.ts';
import { setDemo } from '../stores/view-store.ts';
import { readLink } from './link.ts';
import { applyLinked } from './link-state.ts';
import { useLink } from './link-store.ts';
import { PLAYLIST_START, readPlaylistLink } from './playlist-link.ts';

/** Applies the link in the page's address and removes it there, because later changes would contradict it. */
export async function openLink(): Promise<void> {
  const { hash } = location;
  if (hash.startsWith('#session=')) await openSession(hash);
  else if (hash.startsWith(PLAYLIST_START)) await openPlaylist(hash.slice(1));
  else return;
  const plain = new URL(location.href);
  plain.hash = '';
  // The link's endpoint overrides `?endpoint=`.
  plain.searchParams.delete('endpoint');
  history.replaceState(history.state, '', plain);
}

async function openSession(hash: string): Promise<void> {
  const session = await readLink(hash);
  if (!session) return;
  if ('problem' in session) {
    useLink.setState({ link: { kind: 'broken', problem: session.problem } });
  } else {
    useLink.setState({ link: { kind: 'opened', ...applyLinked(session) } });
  }
}

/** Adds the playlist of a link and shows it in the presenter, where nothing is spoken before a press. */
async function openPlaylist(fragment: string): Promise<void> {
  const content = await readPlaylistLink(fragment);
  if ('problem' in content) {
    useLink.setState({ link: { kind: 'broken', problem: content.problem } });
    return;
  }
  // A link that is opened again must not fill the list.
  const known = usePlaylists.getState().own.find((one) => deepEqual(contentOf(one), content));
  const refusal = known ? null : addPlaylist(content);
  if (refusal !== null) {
    useLink.setState({ link: { kind: 'broken', problem: refusal } });
    return;
  }
  if (known) choosePlaylist(known.id);
  setDemo(true);
}
