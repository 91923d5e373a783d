import { readLink } from './link.ts';
import { applyLinked, sessionProblem } from './link-state.ts';
import { useLink } from './link-store.ts';

/**
 * Fills the page in from the fragment of its address, where that is a link of ours, and takes the fragment out: what
 * the person changes from now on is not what the address says. Called before anything is connected, and again when a
 * link is pasted into a page that is open.
 */
export async function openLink(): Promise<void> {
  const { hash } = location;
  if (!hash.startsWith('#session=')) return;
  const session = await readLink(hash);
  if (!session) return;
  const problem = 'problem' in session ? session.problem : sessionProblem(session);
  if (problem !== null || 'problem' in session) {
    useLink.setState({ link: { kind: 'broken', problem: problem ?? '' } });
  } else {
    useLink.setState({ link: { kind: 'opened', ...applyLinked(session) } });
  }
  const plain = new URL(location.href);
  plain.hash = '';
  // It names an endpoint too, and the link's is the one that is meant.
  plain.searchParams.delete('endpoint');
  history.replaceState(history.state, '', plain);
}
