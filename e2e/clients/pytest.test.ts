import { describe, expect, it } from 'vitest';
import { RecipeProject, readRecipe } from '../support/recipes.ts';
import { pythonWith } from './python.ts';

const PYTHON = pythonWith('websockets', 'pytest');

describe('docs/ci.md, pytest', () => {
  it.skipIf(PYTHON === null)('records a client, tests it by its recording, and finds a change', async () => {
    const recipe = readRecipe('pytest');
    expect(Object.keys(recipe.files)).toEqual(['client.py', 'test_client.py']);
    await using project = await RecipeProject.create(recipe.files, { python3: PYTHON ?? '' });
    for (const command of recipe.commands) {
      const { code, words } = await project.run(command);
      expect(code, words).toBe(0);
      expect(words).toMatch(/1 passed/);
    }
    const test = recipe.files['test_client.py'] ?? '';
    await project.write({ 'test_client.py': test.replace('at nine', 'at ten') });
    const { code, words } = await project.run(recipe.commands.at(-1) ?? '');
    expect(code, words).toBe(3);
    expect(words).toMatch(/changed: recorded text "Your train leaves at nine\."/);
  });
});
