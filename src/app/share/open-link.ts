import { readLink } from './link.ts';
import { applyLinked, sessionProblem } from './link-state.ts';
import { useLink } from './link-store.ts';

/** Applies the link in the page's address and removes it there, because later changes would contradict it. */
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
  // The link's endpoint overrides `?endpoint=`.
  plain.searchParams.delete('endpoint');
  history.replaceState(history.state, '', plain);
}
