import { DropTarget } from './drop-target.tsx';
import { ImportDialog } from './import-dialog.tsx';

/** What takes files in, wherever on the page they come from. */
export function FileImport() {
  return (
    <>
      <DropTarget />
      <ImportDialog />
    </>
  );
}
