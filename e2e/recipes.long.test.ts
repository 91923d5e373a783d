import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { RecipeProject, readRecipe } from './support/recipes.ts';

/** The recipes of `docs/ci.md` that need nothing installed, each by real programs. That of pytest: `clients/pytest.test.ts`. */

const WORKFLOW = z.object({
  on: z.array(z.string()),
  jobs: z.record(
    z.string(),
    z.object({
      'runs-on': z.string(),
      steps: z.array(z.union([z.object({ uses: z.string() }), z.object({ run: z.string() })])),
    }),
  ),
});

describe('a Node agent', () => {
  const { files, commands } = readRecipe('Vitest');
  const [record = '', test = ''] = commands;
  let project: RecipeProject;
  beforeAll(async () => {
    project = await RecipeProject.create(files);
    const { code, words } = await project.run(record);
    expect(code, words).toBe(0);
    expect(words).toMatch(/1 passed/);
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it('is tested by its recording', async () => {
    expect(Object.keys(files)).toEqual(['agent.mjs', 'agent.test.mjs']);
    expect(commands).toHaveLength(2);
    const { code, words } = await project.run(test);
    expect(code, words).toBe(0);
    expect(words).toMatch(/1 passed/);
  });

  it('fails where it says something else', async () => {
    const name = 'agent.test.mjs';
    await project.write({ [name]: files[name]?.replace('at nine', 'at ten') ?? '' });
    const { code, words } = await project.run(test);
    await project.write(files);
    expect(code, words).toBe(3);
    expect(words).toMatch(/changed: recorded text "Your train leaves at nine\." .* got text ".*at ten\."/);
  });

  it('passes every command of the workflow', async () => {
    const workflow = WORKFLOW.parse(
      parse(readRecipe('GitHub Actions').files['.github/workflows/voice.yml'] ?? ''),
    );
    const lines = Object.values(workflow.jobs)
      .flatMap(({ steps }) => steps)
      .flatMap((step) => ('run' in step ? [step.run] : []));
    expect(lines.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'npm ci',
      'npx voicewire lint',
      'npx voicewire serve',
      'npx voicewire capture',
      'npx voicewire diff',
    ]);
    // The packages are there, and the project has no lock file.
    for (const line of lines.filter((each) => each !== 'npm ci')) {
      const { code, words } = await project.run(line);
      expect(code, `${line}\n${words}`).toBe(0);
    }
  });
});
