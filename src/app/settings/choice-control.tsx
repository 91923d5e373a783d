import type { OfferedValue } from '#protocol/core/catalogue.ts';
import { Segmented } from '../ui/segmented.tsx';
import { Select, type SelectOption } from '../ui/select.tsx';
import type { ControlProps } from './control-props.ts';
import { choiceLabels, fitsSegments } from './setting-value.ts';
import type { CatalogueList } from './voices/use-catalogue.ts';

/** Option for “not sent”. The other options are known by their index in the list of values. */
const NOT_SENT = -1;

/** One of several values: a segmented control for few short ones, else a list. Language codes get their names. */
export function ChoiceControl({
  setting,
  value,
  onChange,
  onUnset,
  invalid,
  offered,
}: ControlProps<'choice'> & { offered?: CatalogueList<OfferedValue> }) {
  const { control, fallback, title, unit, field } = setting;
  const more = (offered?.items ?? []).flatMap((each) => (each.field === field ? [each.id] : []));
  const values = [...new Set([...control.values, ...more])];
  const sent = value !== undefined;
  const index = values.indexOf((sent ? value : fallback) as string | number);
  const choose = (place: number) => {
    if (place === NOT_SENT) onUnset();
    else onChange(values[place]);
  };

  if (fitsSegments(values)) {
    return (
      <Segmented
        label={unit ? `${title} in ${unit}` : title}
        options={values.map((option, place) => ({ value: place, label: String(option) }))}
        value={index < 0 ? null : index}
        onChange={choose}
        fill
        mono
        className="w-full"
      />
    );
  }

  const options: SelectOption<number>[] = choiceLabels(values).map(({ value: option, name }, place) => ({
    value: place,
    label: name ? (
      <>
        {name} <code className="text-12 text-text-subtle">{option}</code>
      </>
    ) : (
      <code className="text-12">{option}</code>
    ),
  }));
  const unset = fallback === undefined ? 'Not sent' : 'Not sent, default';
  return (
    <Select
      label={title}
      options={[{ value: NOT_SENT, label: <span className="text-text-muted">{unset}</span> }, ...options]}
      value={sent ? (index < 0 ? null : index) : fallback === undefined ? NOT_SENT : index}
      onChange={choose}
      placeholder={JSON.stringify(value) ?? 'Choose'}
      invalid={invalid}
      className={sent ? 'w-full' : 'w-full text-text-muted'}
    />
  );
}
