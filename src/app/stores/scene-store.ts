import { madeOnce } from '#lib/collections/maps.ts';
import { count } from '#lib/format.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { settingOfKind } from '#protocol/core/settings.ts';
import { z } from '#protocol/core/zod.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { DEFAULT_SCENE, type SampleScene } from '#text/default-scene.ts';
import { contextIdOf, MAX_NAME_LENGTH, nameProblem } from '#text/script.ts';
import { persisted } from '../browser/persisted.ts';
import { HUES } from '../ui/voice-hue.ts';

/** Limits of a scene. They equal those of its stored state, so that a reload loses nothing. */
export const SCRIPT_CHARS = 50_000;
export const MAX_CAST = 64;
const DEFAULT_PAUSE_MS = 250;
export const MAX_PAUSE_MS = 5000;

const settings = z.record(z.string(), z.unknown());

const castMember = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(MAX_NAME_LENGTH)),
  hue: z.int().check(z.gte(1), z.lte(HUES)),
  /** -1 is left, 0 the centre, 1 right. */
  position: z.number().check(z.gte(-1), z.lte(1)),
  volume: z.number().check(z.gte(0), z.lte(1)),
  muted: z.boolean(),
  solo: z.boolean(),
  keepOpen: z.boolean(),
  /** Settings that open the context, by wire name. */
  settings,
  /** The endpoint of the settings; absent in casts of earlier versions of the page, which had one with contexts. */
  of: z.optional(z.string()),
  /** Settings of other endpoints. */
  others: z.optional(z.record(z.string(), settings)),
});

/** A speaker in scenes: one context of the endpoint, and how it is heard. */
export type CastMember = z.output<typeof castMember>;

const keptScene = z.object({
  script: z.catch(z.nullable(z.string().check(z.maxLength(SCRIPT_CHARS))), null),
  /** null: that of the default scene. */
  cast: z.catch(z.nullable(z.array(castMember).check(z.maxLength(MAX_CAST))), null),
  listening: z.catch(z.enum(['inTurn', 'together']), 'inTurn'),
  pauseMs: z.catch(z.int().check(z.gte(0), z.lte(MAX_PAUSE_MS)), DEFAULT_PAUSE_MS),
  /** End each context behind its last line. */
  closeAfter: z.catch(z.boolean(), true),
});

type Kept = z.output<typeof keptScene>;

interface Actions {
  /** The member whose settings are shown. */
  chosen: string | null;
  /** A script or a cast beyond the limits is left out; `scriptProblem` and `castProblem` say it before. */
  set: (change: Partial<Kept & { chosen: string | null }>) => void;
}

/** Returns why a script of that length is refused; null if it fits. */
export const scriptProblem = (chars: number): string | null =>
  chars > SCRIPT_CHARS
    ? `A script has at most ${count(SCRIPT_CHARS)} characters, and this would make ${count(chars)}.`
    : null;

/** Returns why a cast of that size is refused; null if it fits. */
export const castProblem = (speakers: number): string | null =>
  speakers > MAX_CAST ? `A cast has at most ${MAX_CAST} speakers. Remove one to add another.` : null;

function withinLimits<T extends Partial<Kept>>(change: T): T {
  const taken = { ...change };
  if (scriptProblem(change.script?.length ?? 0) !== null) delete taken.script;
  if (castProblem(change.cast?.length ?? 0) !== null) delete taken.cast;
  return taken;
}

export const useScene = persisted<typeof keptScene, Actions>('voicewire.scene', keptScene, (set) => ({
  chosen: null,
  set: (change) => set(withinLimits(change)),
}));

/** The setting with the voice of a member; undefined for none. */
export const memberVoice = ({ contexts }: Endpoint) => settingOfKind(contexts?.settings ?? [], 'voice');

/** @param voice an id of the catalogue; undefined lets the server choose */
export function newMember(
  name: string,
  at: number,
  endpoint: Endpoint,
  voice: string | undefined,
): CastMember {
  const setting = memberVoice(endpoint);
  return {
    name,
    hue: (at % HUES) + 1,
    position: 0,
    volume: 1,
    muted: false,
    solo: false,
    keepOpen: false,
    of: endpoint.id,
    settings: !setting || voice === undefined ? {} : { [setting.field]: setting.control.ids.toValue(voice) },
  };
}

export const castOfScene = (scene: SampleScene, endpoint: Endpoint): CastMember[] =>
  scene.cast.map((member, at) => ({
    ...newMember(member.name, at, endpoint, endpoint.exampleVoices[member.voice]),
    position: member.position,
  }));

/** Returns a cast with names, settings and places from outside, as of a link. Each is heard at full volume. */
export const castFrom = (
  speakers: readonly (Pick<CastMember, 'name' | 'settings'> & { position?: number })[],
  endpoint: Endpoint,
): CastMember[] =>
  speakers.map(({ name, settings, position = 0 }, at) => ({
    ...newMember(name, at, endpoint, undefined),
    position,
    settings: { ...settings },
  }));

const FIRST = PAGE_ENDPOINTS.find(({ contexts }) => contexts)?.id;

const fitted = new WeakMap<readonly CastMember[], Map<string, readonly CastMember[]>>();

/** Returns the same speakers with settings of this endpoint. An unchanged cast keeps its identity. */
function castFor(cast: readonly CastMember[], endpoint: Endpoint): readonly CastMember[] {
  const isFor = ({ of = FIRST }: CastMember): boolean => of === endpoint.id;
  if (cast.every(isFor)) return cast;
  const known = madeOnce(fitted, cast, () => new Map<string, readonly CastMember[]>());
  const voices = Object.values(endpoint.exampleVoices);
  return madeOnce(known, endpoint.id, () =>
    cast.map((member, at) => {
      if (isFor(member)) return member;
      const { of = FIRST ?? '', others, settings: before } = member;
      const anew = newMember(member.name, at, endpoint, voices[at % voices.length]);
      const own = others?.[endpoint.id] ?? anew.settings;
      return { ...member, of: endpoint.id, settings: own, others: { ...others, [of]: before } };
    }),
  );
}

const defaults = new Map<string, readonly CastMember[]>();

const NOBODY: readonly CastMember[] = [];

/** Returns everyone who may speak, in the order of the list; nobody on an endpoint with a single voice. */
export function castOf(state: Pick<Kept, 'cast'>, endpoint: Endpoint): readonly CastMember[] {
  if (!endpoint.contexts) return NOBODY;
  if (state.cast) return castFor(state.cast, endpoint);
  return madeOnce(defaults, endpoint.id, () => castOfScene(DEFAULT_SCENE, endpoint));
}

/** Returns the speaker whose settings are shown; the first one by default. */
export function shownMember(state: Pick<Kept, 'cast'> & Pick<Actions, 'chosen'>, endpoint: Endpoint) {
  const cast = castOf(state, endpoint);
  return cast.find(({ name }) => name === state.chosen) ?? cast[0];
}

export const scriptOf = (state: Pick<Kept, 'script'>): string => state.script ?? DEFAULT_SCENE.script;

/** Returns why no speaker of that name can join; null if one can. */
export function speakerProblem(cast: readonly Pick<CastMember, 'name'>[], name: string): string | null {
  const wanted = name.trim();
  return memberOf(cast, contextIdOf(wanted))
    ? `There is a speaker called ${wanted} already.`
    : (nameProblem(wanted) ?? castProblem(cast.length + 1));
}

export const memberOf = <T extends Pick<CastMember, 'name'>>(cast: readonly T[], context: string) =>
  cast.find(({ name }) => contextIdOf(name) === context);

/** Returns a member's volume: 0 if it is muted or others are soloed. */
export function audibleVolume(member: CastMember, cast: readonly CastMember[]): number {
  const silenced = member.muted || (!member.solo && cast.some(({ solo }) => solo));
  return silenced ? 0 : member.volume;
}

/** Changes one member. The default cast becomes the user's own. */
export function changeMember(endpoint: Endpoint, name: string, change: Partial<CastMember>): void {
  const { set, ...state } = useScene.getState();
  set({
    cast: castOf(state, endpoint).map((member) => (member.name === name ? { ...member, ...change } : member)),
  });
}
