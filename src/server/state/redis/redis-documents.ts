import pLimit from 'p-limit';
import { issuesOf } from '#protocol/core/issue.ts';
import { StartError } from '../../environment.ts';
import type { Log } from '../../log.ts';
import { type DocumentKind, type SharedDocument, StateUnavailable } from '../state.ts';
import type { RedisLink, RunCommands } from './redis-link.ts';
import { redisKey } from './redis-names.ts';

/** One hash with two fields a document: its content under its name, and the number of its changes. */
const DOCUMENTS = redisKey('documents');
/** Other servers may change a document between a read and a change. */
const MAX_TRIES = 100;

const versionField = (name: string): string => `${name}:version`;

/** Repeats nothing of the content, because a syntax error quotes it. */
const problemOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof SyntaxError) ? error.message : 'no JSON';

/** A document in this process. */
interface Replica {
  name: string;
  version: number;
  load(version: number, text: string | null): void;
}

interface Options {
  link: RedisLink;
  log: Log;
  channel: string;
}

export interface RedisDocuments {
  open<C, M>(kind: DocumentKind<C, M>): SharedDocument<M>;
  /** Loads the documents that others have changed. */
  refresh(run?: RunCommands): Promise<void>;
}

/**
 * Copies of the documents of all servers. Reads are served from the copy, so that a session decides without a wait. A
 * change is compared with the version in Redis and repeated on newer content. @param channel publishes changed names
 */
export async function openRedisDocuments({ link, log, channel }: Options): Promise<RedisDocuments> {
  /** Fields of all documents at the start. */
  const read: Readonly<Record<string, string>> = await link.run((redis) => redis.hgetall(DOCUMENTS));
  const replicas: Replica[] = [];

  const load = async (run: RunCommands) => {
    if (replicas.length === 0) return;
    const versions = await run((redis) =>
      redis.hmget(DOCUMENTS, ...replicas.map(({ name }) => versionField(name))),
    );
    const stale = replicas.filter(({ version }, at) => version !== Number(versions[at] ?? 0));
    for (const { name, load } of stale) {
      const [version, text] = await run((redis) => redis.hmget(DOCUMENTS, versionField(name), name));
      load(Number(version ?? 0), text ?? null);
    }
  };

  /** One load at a time, so that an older answer never replaces a newer one. All that wait share the next. */
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const refresh = (run = link.run): Promise<void> => {
    next ??= running
      .catch(() => {})
      .then(() => {
        running = next ?? running;
        next = null;
        return load(run);
      });
    return next;
  };

  function open<C, M>(kind: DocumentKind<C, M>): SharedDocument<M> {
    const { name } = kind;
    const parse = (text: string | null): C | null => {
      if (text === null) return null;
      const value: unknown = JSON.parse(text);
      const parsed = kind.schema.safeParse(value);
      if (parsed.success) return parsed.data;
      const [issue] = issuesOf(parsed.error, value);
      throw new Error(`${[name, issue?.path].filter(Boolean).join('.')}: expected ${issue?.expected}`);
    };
    const first = (): C | null => {
      try {
        return parse(read[name] ?? null);
      } catch (error) {
        throw new StartError(
          `VOICEWIRE_REDIS: ${DOCUMENTS} holds content that is not valid (${problemOf(error)}). Delete it, or choose another database.`,
        );
      }
    };
    let content = first();
    let current = kind.open(content);
    /** Version of the content that was reported. */
    let reported: number | null = null;
    const replica: Replica = {
      name,
      version: Number(read[versionField(name)] ?? 0),
      load(version, text) {
        try {
          content = parse(text);
        } catch {
          if (reported === version) return;
          reported = version;
          log.error({ document: name }, 'a document in Redis is not valid: its last valid content is used');
          return;
        }
        current = kind.open(content);
        replica.version = version;
      },
    };
    replicas.push(replica);
    const changing = pLimit(1);

    async function change<R>(apply: (model: M) => R): Promise<R> {
      for (let tried = 0; tried < MAX_TRIES; tried += 1) {
        const { version } = replica;
        const model = kind.open(content);
        const result = apply(model);
        const text = JSON.stringify(kind.contentOf(model));
        const newVersion = await link.run((redis) =>
          redis.replaceDocument(DOCUMENTS, name, version, text, channel),
        );
        if (newVersion > replica.version) replica.load(newVersion, text);
        if (newVersion > 0) return result;
        await refresh();
      }
      throw new StateUnavailable(`${name} changes too often`);
    }
    return {
      get current() {
        return current;
      },
      change: (apply) => changing(() => change(apply)),
    };
  }

  return { open, refresh };
}
