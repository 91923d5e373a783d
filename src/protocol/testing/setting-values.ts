import fc from 'fast-check';
import type { Endpoint, Settings } from '../core/endpoint.ts';
import type { Setting } from '../core/settings.ts';

/** The only project of the account. The rules do not know the account, so the refusal of another project is no finding. */
const PROJECT = 1;

function valueFor({ control, field }: Setting, voices: Endpoint['exampleVoices']): fc.Arbitrary<unknown> {
  if (field === 'project_id') return fc.constant(PROJECT);
  switch (control.kind) {
    case 'range':
      return fc.double({ min: control.min, max: control.max, noNaN: true });
    case 'number':
      return fc.integer({ min: control.min, max: control.max });
    case 'choice':
      return fc.constantFrom(...control.values);
    case 'switch':
      return fc.boolean();
    case 'numbers':
      return fc.array(fc.integer({ min: control.min, max: control.max }), {
        minLength: 1,
        maxLength: control.maxItems,
      });
    case 'voice':
      return fc.constantFrom(...Object.values(voices).map(control.ids.toValue));
    case 'description':
      return fc.constantFrom(...control.samples);
    case 'dictionaries':
      return fc.subarray([1, 2, 3]);
    case 'text':
      return fc.constant('QUJDRA==');
  }
}

/** Some of the settings, with valid values. A saved voice is left out, because it is valid with its prompt only. */
export const settingsFor = (
  settings: readonly Setting[],
  { exampleVoices }: Endpoint,
): fc.Arbitrary<Settings> =>
  fc.record(
    Object.fromEntries(
      settings
        .filter(
          ({ control }) => control.kind !== 'text' && !('brings' in control && control.brings.length > 0),
        )
        .map((setting) => [setting.field, valueFor(setting, exampleVoices)]),
    ),
    { requiredKeys: [] },
  );
