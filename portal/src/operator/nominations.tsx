export const NominationsPage = () => null;
