import { madeOnce } from '#lib/collections/maps.ts';
import { messageOf } from '#lib/message-of.ts';
import type { Finding } from '#protocol/core/rule.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { loadRules } from '#protocol/rules.ts';
import { EntryLinter } from '#trace/entry-linter.ts';
import type { RecordingEnvironment } from '../environment.ts';
import type { SoundCheck } from '../sound/sound-check.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import type { PayloadReader } from '../store/payload-reader.ts';
import { type CheckView, type FindingsAnswer, type FoundFinding, NOTHING_CHECKED } from './check-view.ts';

/** Findings kept of each rule. Further ones are counted, and their entries marked. */
const KEPT_A_RULE = 500;
/** The linter holds the thread for this long at a time. */
const SLICE_MS = 6;
/** Pause between two slices while a person scrolls or filters. The linter still keeps up with 2,000 frames a second. */
const REST_MS = 40;
/** Minimum interval between two checks of time-outs. */
const MIN_TIMER_MS = 100;

export interface CheckerOptions {
  environment: Pick<RecordingEnvironment, 'nowMs' | 'after' | 'openSoundCheck'>;
  recording: string;
  /** By registry name. */
  endpoint: string;
  index: FrameIndex;
  reader: PayloadReader;
  /** The time up to which all entries are known; null for a recording that has ended, in which no time passes. */
  passedUs: () => number | null;
  /** The page waits for an answer of this thread. */
  isAsked: () => boolean;
  /** Called at most once a slice. */
  progressed: () => void;
  failed: (message: string) => void;
}

/**
 * Checks a recording by the rules of its endpoint and of its sound, also while it grows, in slices of a few
 * milliseconds. Marks entries with findings in the index.
 */
export class Checker {
  readonly #options: CheckerOptions;
  /** Null until the rules of the endpoint have loaded. */
  #linter: EntryLinter | null = null;
  /** Null before the first entry, because it loads late, and where it cannot be loaded. */
  #sound: SoundCheck | null = null;
  #opening: Promise<SoundCheck | null> | null = null;
  readonly #counts = new Map<string, { count: number; kept: Numbered[] }>();
  readonly #byEntry = new Map<number, Numbered[]>();
  #found = 0;
  #next = 0;
  #isRunning = false;
  #isOver = false;
  #isWhole = false;
  #stopTimer = (): void => {};

  constructor(options: CheckerOptions) {
    this.#options = options;
    const { endpoint, index } = options;
    // Marks of an earlier check may come from other rules.
    index.clearFindings();
    const known = endpointNamed(endpoint);
    const loading = known && loadRules([known]);
    if (loading) this.#openLater(loading);
    else this.#linter = new EntryLinter(endpoint);
  }

  #openLater(loading: Promise<unknown>): void {
    const { endpoint, progressed, failed } = this.#options;
    loading.then(
      () => {
        if (this.#isOver) return;
        this.#linter = new EntryLinter(endpoint);
        progressed();
        this.update();
      },
      (error: unknown) => failed(`The rules could not be loaded: ${messageOf(error)}`),
    );
  }

  update(): void {
    const linter = this.#linter;
    if (this.#isRunning || this.#isOver || !linter || linter.rules.length === 0) return;
    this.#isRunning = true;
    this.#run(linter).catch((error: unknown) => {
      // A retry would fail at the same entry.
      if (this.#isOver) return;
      this.#isOver = true;
      this.#options.failed(`The rules could not check entry ${this.#next}: ${messageOf(error)}`);
    });
  }

  /** All entries of a stored recording are known, so that its last turns are judged as they are. */
  complete(): void {
    this.#isWhole = true;
    this.update();
  }

  dispose(): void {
    this.#isOver = true;
    this.#stopTimer();
  }

  view(): CheckView {
    if (!this.#linter) return NOTHING_CHECKED;
    const rules = [...this.#linter.rules, ...(this.#sound?.rules ?? [])];
    return {
      recording: this.#options.recording,
      rules: rules.length,
      checked: this.#next,
      of: this.#options.index.length,
      unread: this.#linter.unread,
      groups: rules.flatMap((rule) => {
        const found = this.#counts.get(rule.id);
        return found ? [{ rule, count: found.count, kept: found.kept.length }] : [];
      }),
    };
  }

  /** The findings of these entries, in their order. */
  ofEntries(entries: readonly number[]): FindingsAnswer {
    const { index } = this.#options;
    const known = entries.filter((entry) => index.has(entry));
    const counts = known.map((entry) => index.findings(entry));
    return {
      findings: known.flatMap((entry) => (this.#byEntry.get(entry) ?? []).map((one) => this.#withHead(one))),
      of: counts.reduce((sum, count) => sum + (count ? count.grave + count.advice : 0), 0),
    };
  }

  /** The findings of a rule, in the order in which they were found: `from` to `to` (exclusive). */
  ofRule(rule: string, from: number, to: number): FindingsAnswer {
    const { count = 0, kept = [] } = this.#counts.get(rule) ?? {};
    return { findings: kept.slice(from, to).map((one) => this.#withHead(one)), of: count };
  }

  #withHead({ number, finding }: Numbered): FoundFinding {
    return { number, finding, head: this.#options.index.head(finding.frame) };
  }

  async #run(linter: EntryLinter): Promise<void> {
    const { environment, index, isAsked, progressed } = this.#options;
    if (index.length > 0) {
      this.#opening ??= this.#openSound();
      this.#sound = await this.#opening;
    }
    while (!this.#isOver && this.#next < index.length) {
      await new Promise<void>((resolve) => environment.after(isAsked() ? REST_MS : 0, resolve));
      if (this.#isOver) return;
      await this.#slice(linter);
      if (!this.#isOver) progressed();
    }
    const last = this.#isWhole ? ((await this.#sound?.end()) ?? []) : [];
    this.#isRunning = false;
    if (this.#isOver) return;
    this.#take(last);
    if (last.length > 0) progressed();
    this.#checkLater(linter);
  }

  async #openSound(): Promise<SoundCheck | null> {
    const { environment, endpoint, failed } = this.#options;
    return await environment.openSoundCheck(endpoint).catch((error: unknown) => {
      failed(`The rules of sound could not be loaded: ${messageOf(error)}`);
      return null;
    });
  }

  async #slice(linter: EntryLinter): Promise<void> {
    const { environment, index, reader } = this.#options;
    const endMs = environment.nowMs() + SLICE_MS;
    while (this.#next < index.length && environment.nowMs() < endMs) {
      const { payload, ...head } = await reader.entry(this.#next);
      if (this.#isOver) return;
      this.#take(linter.take(head, payload));
      if (payload !== null && this.#sound)
        this.#take(await this.#sound.take({ ...head, payload }, this.#next));
      if (this.#isOver) return;
      this.#next += 1;
    }
  }

  #take(findings: readonly Finding[]): void {
    for (const finding of findings) {
      this.#options.index.markFinding(finding.frame, finding.severity);
      const found = madeOnce(this.#counts, finding.id, () => ({ count: 0, kept: [] }));
      found.count += 1;
      const number = this.#found;
      this.#found += 1;
      if (found.kept.length >= KEPT_A_RULE) continue;
      const kept = { number, finding };
      found.kept.push(kept);
      madeOnce(this.#byEntry, finding.frame, () => []).push(kept);
    }
  }

  /** Checks at the next time-out, without waiting for another frame. */
  #checkLater(linter: EntryLinter): void {
    const { environment, passedUs } = this.#options;
    this.#stopTimer();
    const { dueUs } = linter;
    const nowUs = passedUs();
    if (nowUs === null || this.#isOver || dueUs === Number.POSITIVE_INFINITY) return;
    this.#stopTimer = environment.after(Math.max(MIN_TIMER_MS, (dueUs - nowUs) / 1000), () => {
      if (this.#isRunning || this.#isOver) return;
      const passed = linter.pass(passedUs() ?? nowUs);
      this.#take(passed);
      if (passed.length > 0) this.#options.progressed();
      this.#checkLater(linter);
    });
  }
}

type Numbered = Pick<FoundFinding, 'number' | 'finding'>;
