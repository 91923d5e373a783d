import { HEAD } from '../measures/usage-cells.ts';

/** Header of a usage table. */
export function UsageHead({ whose, figures }: { whose: string; figures: readonly string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col" className={`${HEAD} pl-4 text-left wide:pl-5`}>
          {whose}
        </th>
        <th scope="col" className={`${HEAD} text-left`}>
          model
        </th>
        {figures.map((title) => (
          <th key={title} scope="col" className={`${HEAD} text-right`}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
