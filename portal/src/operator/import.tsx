export const ImportPage = () => null;
