import type { Endpoint } from '#protocol/core/endpoint.ts';
import { contextIdOf, MAX_NAME_LENGTH, parseScript } from '#text/script.ts';
import { castOf, scriptOf, scriptProblem, speakerProblem, useScene } from '../../stores/scene-store.ts';

/** Renames a speaker in the cast and in the script. Returns the reason of a refusal; null where it is done. */
export function renameSpeaker(endpoint: Endpoint, name: string, to: string): string | null {
  const scene = useScene.getState();
  const wanted = to.trim();
  if (wanted === name) return null;
  const cast = castOf(scene, endpoint);
  const others = cast.filter((member) => member.name !== name);
  const before = scriptOf(scene);
  const script = renameInScript(before, name, wanted);
  const problem = speakerProblem(others, wanted) ?? scriptProblem(script.length);
  if (problem !== null) return problem;
  scene.set({
    cast: cast.map((member) => (member.name === name ? { ...member, name: wanted } : member)),
    ...(script === before ? {} : { script }),
    ...(scene.chosen === name ? { chosen: wanted } : {}),
  });
  return null;
}

/** Returns the script in which every line of one speaker begins with another name, which must have no problems. */
function renameInScript(script: string, from: string, to: string): string {
  const id = contextIdOf(from);
  let renamed = '';
  let at = 0;
  for (const { name, interrupts } of parseScript(script).lines) {
    if (!name || contextIdOf(script.slice(name.from, name.to)) !== id) continue;
    // Blanks after a name count towards its length.
    const behind = interrupts && to.length < MAX_NAME_LENGTH ? ' ' : '';
    renamed += `${script.slice(at, name.from)}${to}${behind}`;
    at = name.to;
    while (script[at] === ' ') at += 1;
    // A time of day is no name: `Room 12:30 seats`.
    if (/\p{N}$/u.test(to) && /^:\p{N}/u.test(script.slice(at, at + 3))) {
      renamed += ': ';
      at += 1;
    }
  }
  return renamed + script.slice(at);
}
