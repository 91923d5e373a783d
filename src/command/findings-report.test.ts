import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CheckedRecording, checkFiles } from './check-files.ts';
import { type Accepted, FORMATS, hasGraver } from './findings-report.ts';

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../public/recordings/${name}.voicewire.ndjson.gz`, import.meta.url));

let broken: CheckedRecording[];
beforeAll(async () => {
  broken = await checkFiles([sample('broken-rules')]);
});

const BROKEN_RULES = ['nested-delivery', 'context-unknown', 'voice-missing', 'client-shape', 'not-json'];

describe('a checked file', () => {
  it('has the findings of its recording', () => {
    expect(broken[0]?.findings.map(({ id }) => id)).toEqual(BROKEN_RULES);
    expect(broken[0]?.counts).toEqual({ violation: 4, warning: 1, advice: 0 });
  });

  it.each(['one-voice', 'barge-in', 'three-speakers', 'described-voice'])(
    'of the sample %s is clean',
    async (name) => {
      const [recording] = await checkFiles([sample(name)]);
      expect(recording?.counts).toEqual({ violation: 0, warning: 0, advice: 0 });
      expect(recording?.entries).toBeGreaterThan(10);
    },
  );

  it('is named where it cannot be read', async () => {
    await expect(checkFiles(['no-such-file'])).rejects.toThrow(/^no-such-file: /);
    const notARecording = fileURLToPath(new URL('../../package.json', import.meta.url));
    await expect(checkFiles([notARecording])).rejects.toThrow('expected an object, found nothing');
  });
});

describe('accepted severities', () => {
  it.each<[Accepted, boolean]>([
    ['none', true],
    ['advice', true],
    ['warning', true],
    ['violation', false],
  ])('up to %s: graver findings %s', (accepted, isGraver) => {
    expect(hasGraver(broken, accepted)).toBe(isGraver);
  });
});

describe('a report', () => {
  it('for people names file, place and fault', () => {
    const text = FORMATS.text(broken);
    expect(text).toContain('43 entries, 5 findings');
    expect(text).toContain(
      'violation client-shape, entry 39, connection 1, field text: text: expected a string, got 7',
    );
  });

  it('as JSON has every finding', () => {
    const [recording] = JSON.parse(FORMATS.json(broken));
    expect(recording.findings).toHaveLength(5);
  });

  it('as SARIF names each broken rule and describes all', () => {
    const [run] = JSON.parse(FORMATS.sarif(broken)).runs;
    expect(run.results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(BROKEN_RULES);
    const described = new Set(run.tool.driver.rules.map(({ id }: { id: string }) => id));
    expect(BROKEN_RULES.every((id) => described.has(id))).toBe(true);
  });

  it('says in every format how much was not checked', () => {
    const unread = broken.map((recording) => ({ ...recording, unread: 3 }));
    const words = '3 entries not checked, because earlier ones are missing';
    expect(FORMATS.text(unread)).toContain(words);
    expect(JSON.parse(FORMATS.json(unread))[0].unread).toBe(3);
    const [run] = JSON.parse(FORMATS.sarif(unread)).runs;
    expect(run.invocations[0].toolExecutionNotifications[0].message.text).toContain(words);
    expect(FORMATS.junit(unread, 'violation')).toMatch(new RegExp(`name="${words}"[^]*<skipped`));
  });

  it.each<[Accepted, number]>([
    ['none', 5],
    ['warning', 4],
    ['violation', 0],
  ])('as JUnit with %s accepted fails %d rules', (accepted, failures) => {
    expect(FORMATS.junit(broken, accepted)).toContain(`failures="${failures}"`);
  });
});
