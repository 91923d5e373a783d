import { DropTarget } from './drop-target.tsx';
import { ImportDialog } from './import-dialog.tsx';

/** Opens files that are dropped on the page or chosen, with the dialog that shows progress and failure. */
export function FileImport() {
  return (
    <>
      <DropTarget />
      <ImportDialog />
    </>
  );
}
