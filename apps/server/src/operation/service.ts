export { type BackupReport, backUp, type Progress } from './backup.ts';
export { type DoctorOptions, type DoctorReport, examine, type Finding } from './doctor.ts';
export { moveDatabase, type RestoreReport, restore } from './restore.ts';
