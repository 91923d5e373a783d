import { readLink } from './link.ts';
import { applyLinked } from './link-state.ts';
import { useLink } from './link-store.ts';

/** How links with a playlist began, which earlier versions made. They held nothing else. */
const PLAYLIST_START = '#programme=';

/** Applies the link in the page's address and removes it there, because later changes would contradict it. */
export async function openLink(): Promise<void> {
  const { hash } = location;
  const plain = new URL(location.href);
  plain.hash = '';
  if (hash.startsWith(PLAYLIST_START)) {
    useLink.setState({ link: { kind: 'playlist' } });
  } else {
    const session = await readLink(hash);
    if (!session) return;
    if ('problem' in session) useLink.setState({ link: { kind: 'broken', problem: session.problem } });
    else useLink.setState({ link: { kind: 'opened', ...applyLinked(session) } });
    // The link's endpoint overrides `?endpoint=`.
    plain.searchParams.delete('endpoint');
  }
  history.replaceState(history.state, '', plain);
}
