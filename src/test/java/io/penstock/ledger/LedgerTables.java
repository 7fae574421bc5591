package io.penstock.ledger;

import jakarta.enterprise.context.Dependent;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The tables as an operator sees them, on connections of their own. */
@Dependent
public class LedgerTables {

    @ConfigProperty(name = "quarkus.datasource.jdbc.url")
    String url;

    @ConfigProperty(name = "quarkus.datasource.username")
    String username;

    @ConfigProperty(name = "quarkus.datasource.password")
    String password;

    Connection connect() {
        try {
            return DriverManager.getConnection(url, username, password);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** One column of every row, as text. */
    List<String> column(String sql, Object... values) {
        try (Connection connection = connect()) {
            return column(connection, sql, values);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    long number(String sql, Object... values) {
        return Long.parseLong(column(sql, values).get(0));
    }

    public void change(String sql, Object... values) {
        try (Connection connection = connect();
                PreparedStatement statement = prepared(connection, sql, values)) {
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    static List<String> column(Connection connection, String sql, Object... values) throws SQLException {
        List<String> column = new ArrayList<>();
        try (PreparedStatement statement = prepared(connection, sql, values);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                column.add(rows.getString(1));
            }
        }
        return column;
    }

    private static PreparedStatement prepared(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
