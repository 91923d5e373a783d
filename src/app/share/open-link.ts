import { deepEqual } from '#lib/deep-equal.ts';
import { contentOf } from '../programme/programme.ts';
import { addProgramme, chooseProgramme, useProgrammes } from '../programme/programme-store.ts';
import { setDemo } from '../stores/view-store.ts';
import { readLink } from './link.ts';
import { applyLinked, sessionProblem } from './link-state.ts';
import { useLink } from './link-store.ts';
import { PROGRAMME_START, readProgrammeLink } from './programme-link.ts';

/** Applies the link in the page's address and removes it there, because later changes would contradict it. */
export async function openLink(): Promise<void> {
  const { hash } = location;
  if (hash.startsWith('#session=')) await openSession(hash);
  else if (hash.startsWith(PROGRAMME_START)) await openProgramme(hash.slice(1));
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
  const problem = 'problem' in session ? session.problem : sessionProblem(session);
  if (problem !== null || 'problem' in session) {
    useLink.setState({ link: { kind: 'broken', problem: problem ?? '' } });
  } else {
    useLink.setState({ link: { kind: 'opened', ...applyLinked(session) } });
  }
}

/** Adds the programme of a link and shows it on the stage, where nothing is spoken before a press. */
async function openProgramme(fragment: string): Promise<void> {
  const content = await readProgrammeLink(fragment);
  if ('problem' in content) {
    useLink.setState({ link: { kind: 'broken', problem: content.problem } });
    return;
  }
  // A link that is opened again must not fill the list.
  const known = useProgrammes.getState().own.find((one) => deepEqual(contentOf(one), content));
  const refusal = known ? null : addProgramme(content);
  if (refusal !== null) {
    useLink.setState({ link: { kind: 'broken', problem: refusal } });
    return;
  }
  if (known) chooseProgramme(known.id);
  setDemo(true);
}
